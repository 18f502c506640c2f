// The server of tools.ts on standard input and output.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { makeServer } from './tools.ts'

serveStdio(makeServer)
