# Install Chromium and its driver, for `make test-browser`.  Only as root, and only where apt-get is.
command -v chromedriver >/dev/null && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "There is no chromedriver. Install Chromium and its driver (Debian: chromium chromium-driver), then start again."
    exit 1
fi
apt-get update && apt-get install --yes --no-install-recommends chromium chromium-driver
