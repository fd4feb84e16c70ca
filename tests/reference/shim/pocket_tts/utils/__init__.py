"""Configs and files."""
