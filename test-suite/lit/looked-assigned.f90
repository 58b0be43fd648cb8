! Allocatable arrays that are assigned whole behind output of some steps: the steps begin at the output, and what the assignments
! ask of shapes is asked before the first of them, so that several wait for one output.
! RUN: %flang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s --implicit-check-not="at a time, since"

subroutine sound(pressure, n, m, steps)
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: pressure(n, m)
  double precision, allocatable :: before(:, :), now(:, :), next(:, :)
  integer :: t, i, j

  allocate (before(n, m), now(n, m), next(n, m))
  before = pressure
  now = pressure
  next = pressure
  ! CHECK: [[@LINE+1]]:3: remark: time loop tiled {{.*}}: 2-D
  do t = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        next(i, j) = 2.0d0*now(i, j) - before(i, j) &
                     + 0.1d0*(now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4.0d0*now(i, j))
      end do
    end do
    next(1, :) = next(2, :)
    if (mod(t, 10) == 0) write (10, *) t, next(:, 2)
    before = now
    now = next
  end do
  pressure = now
end subroutine sound

! The counters are everybody's.
module shared
  integer :: i, j
end module shared

subroutine heat(u, new, steps)
  use shared
  double precision, intent(inout) :: u(64, 64), new(64, 64)
  integer, intent(in) :: steps
  integer :: t
  ! CHECK: [[@LINE+1]]:3: remark: time loop tiled {{.*}}: 2-D
  do t = 1, steps
    do j = 2, 63
      do i = 2, 63
        new(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
    do j = 2, 63
      do i = 2, 63
        u(i, j) = new(i, j)
      end do
    end do
    if (mod(t, 10) == 0) write (10) u
  end do
end subroutine heat
