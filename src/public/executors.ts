// `proviso/executors`: what carries a call into the world, by data instead of code, and where its secrets come from.
import '../json/needs-node.ts'

export { envCredentials } from '../execute/credentials/env-credentials.ts'
export { fileCredentials } from '../execute/credentials/file-credentials.ts'
export { vaultCredentials } from '../execute/credentials/vault-credentials.ts'
export { FetchError } from '../execute/egress/failure.ts'
export { folderStage } from '../execute/executors/email/mail-stage.ts'
export { email } from '../execute/executors/email.ts'
export { file } from '../execute/executors/file.ts'
export { http } from '../execute/executors/http.ts'
export { mcp } from '../execute/executors/mcp.ts'
export { runProcess } from '../execute/executors/process.ts'
export { sql } from '../execute/executors/sql.ts'
