"""Which sentences make one point, and on which side each is, on topics that were not learned from."""
