"""The golden cases of package compute, topic by topic; see golden.py."""
