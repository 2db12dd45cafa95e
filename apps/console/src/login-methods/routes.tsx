import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

export const loginMethodRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: 'login-methods',
    component: lazyRouteComponent(() => import('./login-methods-page.tsx'), 'LoginMethodsPage'),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: 'login-methods/$name',
    component: lazyRouteComponent(() => import('./login-method-page.tsx'), 'LoginMethodPage'),
  }),
]
