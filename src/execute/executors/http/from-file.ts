// The http executor from its declaration in a tool file.
import type { HttpFile } from '../../../contract/tool/executor-files/http-file.ts'
import type { Executor } from '../../../contract/tool/tool.ts'
import { http } from '../http.ts'

export const httpFromFile = (file: HttpFile): Executor =>
  http({
    method: file.method,
    url: file.url,
    query: file.query,
    headers: file.headers,
    json: file.json,
    form: file.form,
    readsOnly: file.reads_only,
    result: file.result,
    maxResponseBytes: file.max_response_bytes,
    redirects: file.redirects,
    withoutEffect: file.without_effect,
    pin: file.pin,
    version: file.version,
  })
