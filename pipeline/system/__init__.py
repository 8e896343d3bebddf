"""What rostrum needs of the machine: cores, files, temporary files, signals, log lines, and torchaudio on any build."""
