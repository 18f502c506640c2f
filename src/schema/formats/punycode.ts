// Punycode (RFC 3492): what stands after `xn--` in a host name, in both directions.

const base = 36
const least = 1
const most = 26
const skew = 38
const damp = 700
const firstBias = 72
const firstCode = 128

/** The label that the ASCII text encodes; undefined where the text is no Punycode. */
export function decodePunycode(text: string): string | undefined {
  const basic = Math.max(0, text.lastIndexOf('-'))
  const codes = Array.from(text.slice(0, basic), (character) => character.charCodeAt(0))
  let code = firstCode
  let bias = firstBias
  let position = 0
  for (let index = basic > 0 ? basic + 1 : 0; index < text.length; ) {
    const before = position
    for (let weight = 1, step = base; ; step += base) {
      const digit = digitOf(text.charCodeAt(index++))
      if (digit === undefined) return undefined
      position += digit * weight
      const threshold = thresholdOf(step, bias)
      if (digit < threshold) break
      weight *= base - threshold
      if (weight > 0x7fffffff || position > 0x7fffffff) return undefined
    }
    const length = codes.length + 1
    bias = adapt(position - before, length, before === 0)
    code += Math.floor(position / length)
    position %= length
    if (code > 0x10ffff) return undefined
    codes.splice(position++, 0, code)
  }
  return String.fromCodePoint(...codes)
}

/** The ASCII text for a label, without the `xn--`. */
export function encodePunycode(label: string): string {
  const codes = Array.from(label, (character) => character.codePointAt(0) as number)
  let text = codes
    .filter((code) => code < firstCode)
    .map((code) => String.fromCharCode(code))
    .join('')
  const basic = text.length
  let handled = basic
  if (basic > 0) text += '-'
  let code = firstCode
  let bias = firstBias
  let delta = 0
  while (handled < codes.length) {
    const next = Math.min(...codes.filter((candidate) => candidate >= code))
    delta += (next - code) * (handled + 1)
    code = next
    for (const candidate of codes) {
      if (candidate < code) delta++
      if (candidate !== code) continue
      text += encodeDelta(delta, bias)
      bias = adapt(delta, handled + 1, handled === basic)
      delta = 0
      handled++
    }
    delta++
    code++
  }
  return text
}

function encodeDelta(delta: number, bias: number): string {
  let text = ''
  let rest = delta
  for (let step = base; ; step += base) {
    const threshold = thresholdOf(step, bias)
    if (rest < threshold) return text + rest.toString(36).replace(/[0-9a-z]/, letterOf)
    const digit = threshold + ((rest - threshold) % (base - threshold))
    text += digit.toString(36).replace(/[0-9a-z]/, letterOf)
    rest = Math.floor((rest - threshold) / (base - threshold))
  }
}

/** Digits 0 to 25 are letters, 26 to 35 are figures: the other way round than in base 36. */
function letterOf(digit: string): string {
  const value = Number.parseInt(digit, base)
  return String.fromCharCode(value < 26 ? value + 97 : value + 22)
}

function digitOf(code: number): number | undefined {
  if (code >= 48 && code <= 57) return code - 22
  if (code >= 65 && code <= 90) return code - 65
  return code >= 97 && code <= 122 ? code - 97 : undefined
}

function thresholdOf(step: number, bias: number): number {
  return Math.max(least, Math.min(most, step - bias))
}

function adapt(delta: number, length: number, first: boolean): number {
  let rest = first ? Math.floor(delta / damp) : delta >> 1
  rest += Math.floor(rest / length)
  let step = 0
  for (; rest > ((base - least) * most) >> 1; step += base) rest = Math.floor(rest / (base - least))
  return step + Math.floor(((base - least + 1) * rest) / (rest + skew))
}
