// The sql executor of a tool file.
import type { SqlFile } from '../../../contract/tool/executor-files/sql-file.ts'
import type { Executor } from '../../../contract/tool/tool.ts'
import { sql } from '../sql.ts'

export function sqlFromFile(file: SqlFile): Executor {
  const { database, statements, result, role, version } = file
  return sql({
    database,
    statements,
    result,
    role,
    version,
    maxRows: file.max_rows,
    tenantSetting: file.tenant_setting,
  })
}
