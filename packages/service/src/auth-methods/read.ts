import { type Answer, type Call, missing } from '../handler.ts'
import { authMethodMissing, authMethodShown, findAuthMethod } from './stored-auth-method.ts'

export function readAuthMethodHandler(call: Call<'authMethods.read'>): Answer<'authMethods.read'> {
  const method = findAuthMethod(call, call.directory, call.params.Name)
  if (!method) return missing(authMethodMissing(), { topic: 'authMethods', filtered: true })
  const watch = { topic: 'authMethods', modifyIndex: method.ModifyIndex } as const
  return { ...authMethodShown(call, method), watch }
}
