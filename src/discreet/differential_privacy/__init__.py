"""PUBLISH WITH NOISE: itemsets under differential privacy, a promise that holds whatever readers know."""
