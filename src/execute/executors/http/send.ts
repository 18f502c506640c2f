// Sends a request of the http executor and reads its reply. Loaded with the first request: what talks to the network is half of the code.
import type { ExecutionContext } from '../../../contract/tool/executor.ts'
import type { JsonValue } from '../../../json/value.ts'
import { agentsFor } from '../../egress/agents.ts'
import { type Network, systemNetwork } from '../../egress/allowed-host.ts'
import type { OutgoingRequest } from '../../egress/exchange.ts'
import { effectBefore, requestFailure } from '../../egress/failure.ts'
import { follow } from '../../egress/follow.ts'
import { bodiless } from '../../egress/method.ts'
import { readBody } from '../../egress/read-body.ts'
import { type ResultForm, responseResult, unreadableReply } from './response.ts'
import { saysTooLittle, statusError } from './status.ts'

export interface RequestTraits {
  readonly mutates: boolean
  readonly isForm: boolean
  readonly result: ResultForm
  readonly withoutEffect: readonly number[]
  readonly withEffect: readonly number[]
  readonly maxBytes: number
  readonly redirects: number
  readonly network: Partial<Network>
}

export async function sendRequest(
  sending: OutgoingRequest,
  traits: RequestTraits,
  { egress, signal, mayAct }: Pick<ExecutionContext, 'egress' | 'signal' | 'mayAct'>,
): Promise<JsonValue> {
  const { mutates, result, withoutEffect, withEffect } = traits
  const followed = await follow(sending, {
    egress,
    network: { ...systemNetwork, ...traits.network },
    agents: agentsFor(egress),
    signal,
    mayAct,
    redirects: traits.redirects,
    postBecomesGet: traits.isForm,
  })
  if (followed.kind !== 'reply') throw requestFailure(followed, mutates, withEffect)
  const { message, status } = followed
  const before = mutates ? effectBefore(followed, withEffect) : undefined
  const isSuccess = status >= 200 && status < 300
  const isSaid =
    before === undefined ? withEffect.includes(status) || !saysTooLittle.has(status) : before === 'happened'
  if (!isSuccess || (mutates && !isSaid)) {
    message.destroy()
    const retryAfter = message.headers['retry-after']
    // Where the look after a redirect succeeds, it is the redirect that says too little.
    const telling = isSuccess ? (followed.turnedBy ?? status) : status
    throw statusError({
      status: telling,
      method: sending.method,
      retryAfter,
      now: Date.now(),
      mutates,
      withoutEffect,
      before,
    })
  }
  // An empty body has no encoding, also where its header names one.
  const isEmpty = sending.method === 'HEAD' || bodiless.has(status)
  if (isEmpty) message.resume()
  const read = isEmpty ? nothing : await readBody(message, traits.maxBytes)
  if (read.kind === 'too_large')
    throw unreadableReply('response_too_large', tooLong(read.bytes, traits.maxBytes), mutates)
  if (read.kind !== 'body') throw unreadableReply(`response_${read.kind}`, problems[read.kind], mutates)
  return await responseResult({ status, headers: message.headers, bytes: read.bytes }, result, mutates)
}

const nothing = { kind: 'body', bytes: Buffer.alloc(0) } as const

const tooLong = (bytes: number, most: number): string =>
  `The response is longer than the ${most} bytes that this tool reads: it was given up after ${bytes} bytes. Nothing of it is shown.`

const problems = {
  cut_off: 'The connection was lost within the response.',
  bad_encoding: 'The response cannot be unpacked.',
} as const
