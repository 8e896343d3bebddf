"""What `rostrum evaluate pairs` and `rostrum train pairs` learn from and judge."""
