"""How sure an answer is, by what learners say of cases left out."""
