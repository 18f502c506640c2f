fetch 2000 from stored_answers
