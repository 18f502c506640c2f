select index, hash from proviso.log_leaves where kind = 'facts' and call_id = $2::uuid and tenant = $1 and group_number = $3
