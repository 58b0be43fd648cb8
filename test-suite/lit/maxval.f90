! The largest change of an array expression: steps run ahead of it, as flang computes it, with an array that each step
! allocates, and from its first element on, which is compared with itself.
! RUN: %flang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s

subroutine largest(u, v, n, m, tolerance)
  integer, intent(in) :: n, m
  double precision, intent(inout) :: u(n, m), v(n, m)
  double precision, intent(in) :: tolerance
  double precision :: change
  integer :: t
  ! CHECK: [[@LINE+1]]:3: remark: time loop tiled {{.*}}: 2-D, 4 statements
  do t = 1, 1000
    v(2:n - 1, 2:m - 1) = 0.25d0*(u(1:n - 2, 2:m - 1) + u(3:n, 2:m - 1) + u(2:n - 1, 1:m - 2) + u(2:n - 1, 3:m))
    change = maxval(abs(v - u))
    u = v
    if (change < tolerance) exit
  end do
end subroutine largest

! A periodic grid by cshift, whose arrays each step allocates.
subroutine periodic(u, steps)
  double precision, intent(inout) :: u(128, 128)
  integer, intent(in) :: steps
  integer :: t
  ! CHECK: [[@LINE+1]]:3: remark: time loop tiled {{.*}}: 2-D
  do t = 1, steps
    u = u + 0.1d0*(cshift(u, 1, 1) + cshift(u, -1, 1) + cshift(u, 1, 2) + cshift(u, -1, 2) - 4*u)
  end do
end subroutine periodic
