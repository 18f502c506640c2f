// The version of this package, from its own package.json: two folders up in a checkout, three when built into dist/.
import { readFile } from 'node:fs/promises'

export async function packageVersion(): Promise<string> {
  for (const place of ['../../package.json', '../../../package.json']) {
    const text = await readFile(new URL(place, import.meta.url), 'utf8').catch(() => undefined)
    if (text === undefined) continue
    const { name, version }: { readonly name?: unknown; readonly version?: unknown } = JSON.parse(text)
    if (name === 'proviso' && typeof version === 'string') return version
  }
  return 'unknown'
}
