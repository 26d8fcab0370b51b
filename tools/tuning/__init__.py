"""Tuning: parameters of the search by games, weights of the evaluation by logistic regression."""
