// The name of a tool as a provider takes it. A name that fits stays as it is; another gets a readable stem and a part of its hash, the
// same one every time, and never a name that another tool of the surface answers to.
import type { Surface } from '../../contract/tool/surface.ts'
import { sha256 } from '../../json/hash.ts'
import type { DialectTable } from './dialect-table.ts'

const fewestDigits = 8

export function providerName(name: string, { names }: DialectTable, { entries, aliases }: Surface): string {
  if (names.pattern.test(name)) return name
  const hash = sha256(name)
  const stem = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?![a-zA-Z_])/, '_')
  const made = (digits: number): string => {
    const ending = `_${hash.slice(0, digits)}`
    return stem.slice(0, Math.max(0, names.longest - ending.length)) + ending
  }
  const isTaken = (wish: string) => entries.has(wish) || (aliases.get(wish) ?? name) !== name
  let digits = fewestDigits
  // Some digits more tell it from a name that happens to look like it.
  while (isTaken(made(digits)) && digits < names.longest - 1) digits++
  return made(digits)
}
