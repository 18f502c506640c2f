// The open web, as far as it knows the invented companies of this example.

const pages = [
  'Halden Cycles AS: bicycles and workshop, Halden, since 1998.',
  'Mirador Print SL: offset and digital print, Cádiz.',
  'Brandt Optik GmbH: lenses and frames, Jena.',
]

export function searchWeb(query: string): readonly string[] {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length > 2)
  return pages.filter((page) => words.some((word) => page.toLowerCase().includes(word)))
}
