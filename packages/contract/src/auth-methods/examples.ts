/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'

const CONFIG = {
  BoundAudiences: ['latchkey'],
  BoundIssuer: 'https://ci.example.com',
  ClaimMappings: { project: 'project', ref: 'ref' },
  JWKSURL: 'https://ci.example.com/.well-known/jwks.json',
  ListClaimMappings: { groups: 'groups' },
}

const METHOD = {
  MaxTokenTTL: '15m0s',
  Name: 'ci',
  Type: 'jwt',
  DisplayName: 'Build pipelines',
  Description: 'Jobs of the build system',
  Config: CONFIG,
  CreateIndex: 9,
  ModifyIndex: 9,
}

const { Config: _config, MaxTokenTTL, CreateIndex, ModifyIndex, ...named } = METHOD
const LIST_ENTRY = { ...named, MaxTokenTTL, CreateIndex, ModifyIndex }

const body = {
  Name: 'ci',
  Type: 'jwt',
  DisplayName: METHOD.DisplayName,
  Description: METHOD.Description,
  MaxTokenTTL: '15m',
  Config: CONFIG,
}

export const examples = {
  create: answer(METHOD, body),
  read: answer(METHOD),
  update: answer({ ...METHOD, MaxTokenTTL: '30m0s', ModifyIndex: 10 }, { ...body, MaxTokenTTL: '30m' }),
  delete: answer(true),
  explain: answer(
    {
      Values: { project: 'shop', ref: 'main' },
      Lists: { groups: ['deploy'] },
      Rules: [
        {
          ID: '3b1d3d2e-7a40-4a5b-9f0c-5ad9f6f1b6a1',
          Selector: 'value.ref == main and "deploy" in list.groups',
          BindType: 'service',
          BindName: '${value.project}-web',
          Applies: true,
          Name: 'shop-web',
        },
      ],
      Roles: [],
      ServiceIdentities: [{ ServiceName: 'shop-web' }],
      NodeIdentities: [],
      Rights: [{ Resource: 'service', Segment: 'shop-web', Access: 'write' }],
    },
    { Claims: { project: 'shop', ref: 'main', groups: ['deploy'] } },
  ),
  logins: answer([
    { Identity: 'project:shop', LiveTokens: 3, OldestCreateTime: '2026-01-31T12:00:00Z' },
    { Identity: 'project:site', LiveTokens: 1, OldestCreateTime: '2026-01-31T12:04:00Z' },
  ]),
  list: answer([LIST_ENTRY]),
} satisfies ExamplesOf<'authMethods'>
