import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

export const datacenterRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: 'datacenters',
    component: lazyRouteComponent(() => import('./datacenters-page.tsx'), 'DatacentersPage'),
  }),
]
