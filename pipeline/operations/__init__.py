"""What keeps an installation healthy: doctor, clean, metrics, logs."""
