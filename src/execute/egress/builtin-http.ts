// Node's http and https as they are. An import of node:http as a module asks for each of its exports, the web's sockets among them, which
// leaves globals behind in every process that imports this package; taken so, it leaves nothing.
const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')

export const { Agent: HttpAgent, request: requestPlain } = http
export const { Agent: HttpsAgent, request: requestSecure } = https
