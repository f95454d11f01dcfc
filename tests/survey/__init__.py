"""Tests of the survey: answers of combos, the policy, failures, doubts."""
