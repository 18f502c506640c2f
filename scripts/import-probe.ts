// Imports the package in a fresh process and reports how long that took, what it loaded, and whether anything was left behind.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface ImportProbe {
  readonly ms: number
  /** Paths of loaded files within node_modules. */
  readonly loaded: readonly string[]
  /** What importing changed beyond the module graph: globals, prototypes, listeners, handles, output. */
  readonly sideEffects: readonly string[]
}

const program = (watch: boolean) => `
  import { registerHooks } from 'node:module'
  const loaded = []
  if (${watch}) registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
  const builtins = [Object, Array, String, Number, Function, Promise, Map, Set, RegExp, Error, Date]
  const look = () => ({
    globals: Reflect.ownKeys(globalThis).length,
    prototypes: builtins.flatMap((builtin) => [builtin, builtin.prototype]).map((of) => Reflect.ownKeys(of).length).join(),
    listeners: process.eventNames().map((name) => String(name) + process.listenerCount(name)).join(),
    handles: process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap' && kind !== 'TTYWrap').join(),
    environment: Object.keys(process.env).length,
  })
  const before = look()
  const started = performance.now()
  await import('proviso')
  const ms = performance.now() - started
  const after = look()
  const sideEffects = Object.keys(before).filter((key) => before[key] !== after[key])
  console.log(JSON.stringify({ ms, loaded: loaded.map((url) => url.replace(/^.*?\\/node_modules\\//, '')), sideEffects }))
`

/** With `watch` the loaded files are reported, which makes the time meaningless. */
export async function probeImport(consumer: string, node: string, watch: boolean): Promise<ImportProbe> {
  const { stdout } = await run(node, ['--input-type=module', '--eval', program(watch)], { cwd: consumer })
  const lines = stdout.trim().split('\n')
  const probe = JSON.parse(lines.at(-1) ?? '') as ImportProbe
  return lines.length === 1 ? probe : { ...probe, sideEffects: [...probe.sideEffects, 'output'] }
}
