"""Plain data as text, figures and progress; knows no other room."""
