"""The generated pages of the documentation; `make schema` writes them."""
