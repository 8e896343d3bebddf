"""What all tests share. They pass without a network, without a GPU, and without any data but what is in the project."""

from pipeline.machine import prepare_environment

prepare_environment()
