// Loaded before everything else by the processes that die. A relative import that names its file is that file: what Node would do to find
// that out is a quarter of what a start costs, and a sweep starts more than a thousand of them.
import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context
    if (parentURL === undefined || !specifier.startsWith('.') || !specifier.endsWith('.ts'))
      return next(specifier, context)
    return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true }
  },
})
