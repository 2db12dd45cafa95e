/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'

const CLUSTER = '0b7a3c1e-5f0d-4f5c-9a3e-2f1f6c1d8e70'

export const examples = {
  accept: answer({ Accepted: CLUSTER, PrimaryDatacenter: 'dc1' }, { Cluster: CLUSTER }),
  promote: answer(
    {
      Datacenter: 'dc2',
      Cluster: '5c1d9a40-8a1b-4e0e-8b7a-3f6f1f0e2d11',
      Index: 4_294_967_339,
      FollowedCluster: CLUSTER,
      FollowedIndex: 42,
      Skipped: [],
    },
    { Datacenter: 'dc2' },
  ),
} satisfies ExamplesOf<'datacenters'>
