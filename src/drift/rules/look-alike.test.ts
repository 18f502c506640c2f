import { describe, expect, it, test } from 'vitest'
import { hiddenIn } from './hidden-text.ts'
import { skeleton, suspicionOf } from './look-alike.ts'

describe('names that can be taken for one another', () => {
  test.each([
    ['delete_file', 'dеlete_file'],
    ['read_file', 'read-file'],
    ['read_file', 'Read_File'],
    ['paypal', 'pаypаl'],
    ['list_all', 'Iist_aII'],
    ['get_user', 'ｇｅｔ_user'],
    ['get_user', 'get\u200b_user'],
    ['resume', 'résumé'],
    ['login', '1og1n'],
  ])('%s and %s', (name, other) => expect(skeleton(other)).toBe(skeleton(name)))

  it('are not those that only begin alike', () => {
    expect(skeleton('read_file')).not.toBe(skeleton('read_files'))
    expect(skeleton('get_user')).not.toBe(skeleton('set_user'))
  })
})

test.each([
  ['dеlete', 'Latin and Cyrillic'],
  ['a\u202eb', 'reorder'],
  ['ｇｅｔ', 'styled'],
])('the name %j is suspicious by itself', (name, why) => expect(suspicionOf(name)).toContain(why))

test.each(['read_file', 'удалить', 'get-user.v2', '取得'])('the name %s is not', (name) =>
  expect(suspicionOf(name)).toBeUndefined(),
)

describe('hidden characters', () => {
  test.each(['a\u{e0041}', 'a\u200bb', 'a\u202eb', 'a\u00adb', 'a\ufe01', 'a\u3164', 'a\u001b[8m', 'a\ue000'])(
    'are named in %j',
    (text) => expect(hiddenIn(text)).toHaveLength(1),
  )

  test.each(['plain\ttext\r\n', '👩‍💻 ❤️ 👍🏽', 'नमस्ते', 'می\u200cخواهم', 'naïve — “quoted”'])(
    'are not seen in %j',
    (text) => expect(hiddenIn(text)).toEqual([]),
  )
})
