"""Compile every loop for every kind of numbers, on all cores: what is in the cache no test has to compile again.

Two processes of tests that begin together would each compile most of it.
"""

from weightsmith.check.warm_up import warm_up

if __name__ == "__main__":
    warm_up()
