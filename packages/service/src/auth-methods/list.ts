import { type Answer, type Call, json } from '../handler.ts'
import { isListed } from '../request/namespace.ts'
import { limitsShown } from './stored-auth-method.ts'

export function listAuthMethodsHandler(call: Call<'authMethods.list'>): Answer<'authMethods.list'> {
  const { edition, profile } = call.service
  const showsLifetime = profile.has('authMethod.listedLifetime')
  const methods = [...call.directory.authMethods()].filter((method) => isListed(call, method.Namespace))
  return json(
    methods.map((method) => {
      const { Name, Type, DisplayName, Description, MaxTokenTTL, TokenLocality } = method
      return {
        Name,
        Type,
        ...(DisplayName === '' ? {} : { DisplayName }),
        ...(Description === '' ? {} : { Description }),
        ...(showsLifetime && MaxTokenTTL !== undefined ? { MaxTokenTTL } : {}),
        ...(showsLifetime && TokenLocality !== '' ? { TokenLocality } : {}),
        ...limitsShown(method),
        CreateIndex: method.CreateIndex,
        ModifyIndex: method.ModifyIndex,
        ...(edition === 'extended' ? { Namespace: method.Namespace } : {}),
      }
    }),
    { topic: 'authMethods' },
  )
}
