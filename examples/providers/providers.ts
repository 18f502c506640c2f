// Tools for the models of several providers: each list in its own dialect, one operation whichever model proposes it, and a tenant that gets less.
// #region tool
import { defineTool, openProviso } from '../../src/index.ts'

const bookings = new Map<string, object>()
const bookRoom = defineTool({
  name: 'hotel.book_room_v1',
  description: 'Books one room.',
  effect: 'MEDIUM_RISK_WRITE',
  trusted: true,
  input: {
    type: 'object',
    properties: {
      guest: { type: 'string', minLength: 1, description: 'Name of the guest.' },
      nights: { type: 'integer', minimum: 1, maximum: 30 },
      note: { type: 'string' },
    },
    required: ['guest', 'nights'],
    additionalProperties: false,
  },
  execute: (args) => {
    bookings.set(args.guest, args)
    return { booked: true }
  },
})

const proviso = await openProviso({
  tools: [bookRoom],
  narrow: {
    hostel: {
      'hotel.book_room_v1': {
        type: 'object',
        properties: { guest: { type: 'string', minLength: 1 }, nights: { enum: [1, 2] } },
        required: ['guest', 'nights'],
        additionalProperties: false,
      },
    },
  },
})
const context = { tenant: 'acme', user: 'ann', run: 'chat-1' }
// #endregion tool

// #region format
const surface = await proviso.surface(context)
const { tools, report } = surface.format('openai') // or 'anthropic', 'gemini', 'mcp'
console.log(JSON.stringify(tools[0], null, 2))
for (const { name, offered, verdict, onlyLocal } of report) console.log(name, offered, verdict, onlyLocal)
// hotel_book_room_v1_… strict listed [ { pointer: '/properties/guest/minLength', constraint: 'minLength' } ]
// #endregion format

// #region call
const shown = report[0]?.name ?? ''
const emitted = '{"guest":"Bo","nights":2,"note":null}' // strict mode of OpenAI has no absent arguments
const first = await proviso.call({ tool: shown, arguments: emitted, callId: 'c1' }, { ...context, dialect: 'openai' })
const again = await proviso.call(
  { tool: 'hotel.book_room_v1', arguments: { guest: 'Bo', nights: 2 }, callId: 'toolu_1' },
  { ...context, dialect: 'anthropic' },
)
console.log(first.effect, again.observation.execution_metadata.idempotency_hit, bookings.get('Bo'))
// happened true { guest: 'Bo', nights: 2 }: one booking, and no null in it
// #endregion call

// #region narrow
const hostel = { tenant: 'hostel', user: 'cy', run: 'chat-2' }
const long = await proviso.call(
  { tool: 'hotel.book_room_v1', arguments: { guest: 'Di', nights: 7 }, callId: 'c2' },
  hostel,
)
console.log(long.observation.status.taxonomy_class) // OUT_OF_BOUNDS, though others may stay for 30 nights
// #endregion narrow

await proviso.close()
