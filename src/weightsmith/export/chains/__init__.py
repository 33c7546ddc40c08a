"""Chains in other tools: whole chains are run in both, and the folder of a model says how to run one."""
