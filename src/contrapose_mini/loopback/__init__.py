from contrapose_mini.loopback.server import endpoint
