! Steps between two that tell how far they are stand together, though each assigns a whole allocatable array.
! RUN: %hexflang -O2 %s -o %t.hex && env HEXPASS_DEVICE=cpu HEXPASS_MODE=mandatory HEXPASS_INFO=1 %t.hex > %t.out 2> %t.info
! RUN: FileCheck %s < %t.info
! CHECK: _QQmain{{.*}}: cpu{{.*}} 40 steps
! CHECK-NOT: _QQmain{{.*}}: cpu{{.*}} 1 steps
! RUN: %plain-flang -O2 %s -o %t.plain && %t.plain > %t.expected && cmp %t.out %t.expected
program main
  implicit none
  real(8), allocatable :: u(:, :), un(:, :)
  integer :: t, i, j

  allocate (u(80, 70), un(80, 70))
  u = 1
  u(30:50, 30:40) = 3
  un = u
  do t = 1, 120
    do j = 2, 69
      do i = 2, 79
        un(i, j) = u(i, j) + 0.2d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4*u(i, j))
      end do
    end do
    u = un
    if (mod(t, 40) == 0) write (*, '(a, i5, a, f12.8)') 'step ', t, ' u = ', u(40, 35)
  end do
  print *, sum(u)
end program main
