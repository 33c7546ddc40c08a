"""Speed ratios against other tools, measured in the same run: `make bench`."""
