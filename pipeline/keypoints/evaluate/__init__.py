"""The data, the methods and the tables of `rostrum evaluate keypoints`, and what its trainings share."""
