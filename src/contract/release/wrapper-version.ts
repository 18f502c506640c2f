// The version of this package, from its own package.json: three folders up in a checkout, four when built into dist/.
import { readFileSync } from 'node:fs'

let known: string | undefined

export function wrapperVersion(): string {
  known ??= ['../../../package.json', '../../../../package.json']
    .map(versionIn)
    .find((version) => version !== undefined)
  return known ?? 'unknown'
}

function versionIn(place: string): string | undefined {
  try {
    const { name, version }: { readonly name?: unknown; readonly version?: unknown } = JSON.parse(
      readFileSync(new URL(place, import.meta.url), 'utf8'),
    )
    return name === 'proviso' && typeof version === 'string' ? version : undefined
  } catch {
    // Not there: the other place is.
    return undefined
  }
}
