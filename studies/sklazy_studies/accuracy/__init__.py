"""How accurate the lazy learners are beside forests and boosting."""
