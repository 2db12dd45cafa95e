import { AclError, changesBetween, parseServiceVersion } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'

/** The changes between two versions, which the migrator reads. */
export function versionsHandler(call: Call<'operations.versions'>): Answer<'operations.versions'> {
  const version = (option: 'from' | 'to') => {
    const text = call.query[option]
    if (text === undefined) {
      throw new AclError('query_invalid', `${option} is missing: a service version such as 1.3.0`, {
        field: option,
      })
    }
    return parseServiceVersion(text, option)
  }
  return json(
    changesBetween(version('from'), version('to')).map((change) => ({
      Gate: change.gate,
      Change: change.change,
      At: change.at,
      Kind: change.kind,
      SpecRow: change.specRow,
      Sentence: change.sentence,
      ClientSees: change.clientSees,
      BreaksClients: change.breaksClients,
      DecidedBy: change.decidedBy,
    })),
  )
}
