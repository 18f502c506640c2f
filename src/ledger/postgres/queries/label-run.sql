select o_labels, o_again from proviso.label_run($1, $2, $3, $4)
