// Regular expression flags that a JSON Schema pattern has no room for. A pattern printed without them says something
// else than the library checks, so it is left out and the library's own check stands alone.

/** `u` and `v` are what a JSON Schema pattern already means; `d`, `g` and `y` do not change whether a text matches. */
export function changesMeaning(flags: string): boolean {
  return /[ims]/.test(flags)
}
