// Which arguments hold what a model must not write: secrets, code, whole requests. Judged by name and description; a name that only
// points at a secret (secret_id, page_token) is no secret.
import { isObject, type JsonObject } from '../../json/value.ts'
import { descriptionOf, type PropertyPlace, typesOf } from './schema-places.ts'
import { nameWords, wordSet } from './tool-words.ts'

const secretPhrases =
  'password, passwd, passphrase, passcode, secret, token, apikey, api key, credential, credentials, authorization, private key, access key, secret key, signing key, encryption key, bearer, jwt, session cookie, otp, connection string, card number, credit card, cardnumber, cvv, cvc, iban pin, pin code, social security number, ssn'.split(
    ', ',
  )

/** Before "token": a place in a list, not a credential. */
const cursorWords = wordSet('page next previous continuation cursor sync pagination resume idempotency start')
/** After a secret's name: a reference to it, or something about it. */
const referenceWords = wordSet(
  'id ids name names ref reference label count limit type kind status policy length expiry enabled required url address hint last4',
)

export function holdsSecret({ name, voices }: PropertyPlace): boolean {
  const types = typesOf(voices)
  if (types.size > 0 && [...types].every((type) => type === 'boolean' || type === 'null')) return false
  if (voices.some(({ format }) => format === 'password')) return true
  const words = nameWords(name)
  if (referenceWords.has(words.at(-1) ?? '')) return false
  const text = ` ${words.join(' ')} `
  const phrase = secretPhrases.find((candidate) => text.includes(` ${candidate} `))
  if (phrase === undefined) return false
  return !(phrase === 'token' && words.some((word) => cursorWords.has(word)))
}

const codeNames = wordSet('sql shell bash script cmd command powershell javascript python eval argv')
/** Names that hold code only when their description says so. */
const maybeCode = wordSet('code query statement expression program source snippet filter where input text')
const tellsOfCode =
  /\b(?:sql|shell|bash|powershell|source code|javascript|typescript|python|script to (?:run|execute)|code to (?:run|execute)|(?:execute|evaluate|run)s? (?:the |this )?(?:code|script|command|query|statement))\b/i

export function holdsCode({ name, voices }: PropertyPlace): boolean {
  const types = typesOf(voices)
  const isClosed = voices.some((voice) => voice.enum !== undefined || voice.const !== undefined)
  if (isClosed || !(types.size === 0 || types.has('string') || types.has('array'))) return false
  const words = nameWords(name)
  const last = words.at(-1) ?? ''
  if (referenceWords.has(last)) return false
  if (words.includes('sql') || codeNames.has(last)) return true
  return maybeCode.has(last) && tellsOfCode.test(descriptionOf(voices))
}

const addresses = wordSet('url uri endpoint href')
const requestParts = wordSet('body payload headers method data')

/** An object with an address and a part of a request beside it. */
export function holdsRequest({ properties }: JsonObject): boolean {
  if (!isObject(properties)) return false
  const names = Object.keys(properties).map((name) => nameWords(name).at(-1) ?? '')
  return names.some((name) => addresses.has(name)) && names.some((name) => requestParts.has(name))
}
