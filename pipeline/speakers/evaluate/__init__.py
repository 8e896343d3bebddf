"""What `rostrum evaluate debates` and `rostrum train sides` learn from and judge."""
