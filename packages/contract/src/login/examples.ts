/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'

const TOKEN = {
  AccessorID: '5f0c9e6a-9a0e-4d0a-8a53-6f1a5f6f8b10',
  SecretID: 'b1b8f7f4-3f2c-4e3e-9a0b-0d6a4a6c7b21',
  Description: 'token created via login: {"job":"1234"}',
  ServiceIdentities: [{ ServiceName: 'shop-web' }],
  Local: true,
  AuthMethod: 'ci',
  ExpirationTime: '2026-01-31T12:15:07.25Z',
  CreateTime: '2026-01-31T12:00:07.25Z',
  Hash: 'aBqk8W1m3dXf0mUQy3Hn6sYwq0m5fJrQvGZr4e1m8iA=',
  CreateIndex: 13,
  ModifyIndex: 13,
}

export const examples = {
  login: answer(TOKEN, {
    AuthMethod: 'ci',
    BearerToken: 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJodHRwczovL2NpLmV4YW1wbGUuY29tIn0.c2lnbmF0dXJl',
    Meta: { job: '1234' },
  }),
  logout: answer(true),
  authUrl: answer(
    {
      AuthURL:
        'https://login.example.com/authorize?client_id=latchkey&response_type=code&scope=openid&state=0b6e&nonce=9c1d',
    },
    { AuthMethod: 'people', RedirectURI: 'http://localhost:8550/oidc/callback', ClientNonce: '4f8a' },
  ),
  callback: answer(
    { ...TOKEN, Description: 'token created via OIDC login', AuthMethod: 'people', Namespace: 'default' },
    { AuthMethod: 'people', State: '0b6e', Code: '7d1f', ClientNonce: '4f8a' },
  ),
} satisfies ExamplesOf<'login'>
