// The Cedar engine, an optional peer, one WebAssembly instance for each set of policies. A trap inside it (deep nesting overflows its
// stack) leaves an instance that fails for ever, so a question that throws gets no answer and the next one a new instance.
import { createRequire } from 'node:module'
import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs'
import { Fault } from '../../contract/fault.ts'

export type CedarModule = typeof Cedar

export type EngineAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string }

export interface Engine {
  readonly version: string
  /** Grows when the instance is replaced: what was prepared in an older one is gone. */
  generation(): number
  ask<T>(question: (cedar: CedarModule) => T): EngineAnswer<T>
}

const packageName = '@cedar-policy/cedar-wasm'

/** Throws a Fault where the package is not installed. */
export function openEngine(): Engine {
  let cedar = instantiate()
  let generation = 0
  return {
    version: cedar.getCedarVersion(),
    generation: () => generation,
    ask(question) {
      try {
        return { ok: true, value: question(cedar) }
      } catch (error) {
        cedar = instantiate()
        generation++
        return { ok: false, message: error instanceof Error ? error.message : String(error) }
      }
    },
  }
}

/** Its entry for Node makes the instance while it is being loaded, so a new instance is a new load: 12 ms once the code is compiled. */
function instantiate(): CedarModule {
  const require = createRequire(import.meta.url)
  try {
    const path = require.resolve(`${packageName}/nodejs`)
    delete require.cache[path]
    const loaded = require(path) as CedarModule
    delete require.cache[path]
    return loaded
  } catch (error) {
    const message = `Policies in Cedar are judged by ${packageName}, which is not installed. Run \`npm install ${packageName}\`.`
    throw new Fault('bad_options', message, { cause: error })
  }
}
