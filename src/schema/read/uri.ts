// References and identifiers as URIs: resolved against a base, with the fragment kept apart and percent-decoded.

/** The base of a document that has no identifier of its own. */
export const anonymousBase = 'schema:///'

export interface ResolvedUri {
  /** Absolute, without fragment. */
  readonly uri: string
  /** Decoded, without the `#`; empty for the whole resource. */
  readonly fragment: string
}

/** Undefined where the text is no URI reference, or cannot be resolved against the base. */
export function resolveUri(reference: string, base: string): ResolvedUri | undefined {
  const hash = reference.indexOf('#')
  const path = hash === -1 ? reference : reference.slice(0, hash)
  try {
    // An empty path means the base itself, also where the base (a URN) allows no relative paths.
    const uri = path === '' ? base : new URL(path, base).href
    return { uri, fragment: hash === -1 ? '' : decodeURIComponent(reference.slice(hash + 1)) }
  } catch {
    return undefined
  }
}

/** An absolute URI in the spelling that resolution produces, without fragment. */
export function absoluteUri(text: string): string | undefined {
  return URL.canParse(text) ? resolveUri(text, anonymousBase)?.uri : undefined
}
