import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readListSearch } from '../ui/table/list-search.ts'

export const policyRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: 'policies',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./policies-page.tsx'), 'PoliciesPage'),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: 'policies/new',
    component: lazyRouteComponent(() => import('./new-policy-page.tsx'), 'NewPolicyPage'),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: 'policies/$id',
    component: lazyRouteComponent(() => import('./policy-page.tsx'), 'PolicyPage'),
  }),
]
