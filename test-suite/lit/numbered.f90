! Texts that some steps put together on the stack, and internal units that they write to, let the sweeps wait; not so a text
! that the sweeps read.
! RUN: env HEXPASS_REPORT=%t.jsonl %hexflang -O2 %s -o %t.hex && env HEXPASS_DEVICE=cpu HEXPASS_MODE=mandatory HEXPASS_INFO=1 %t.hex > %t.out 2> %t.info
! RUN: FileCheck %s < %t.jsonl
! CHECK-DAG: "function":"numbered_"{{.*}}"message":"time loop tiled
! RUN: FileCheck %s --check-prefix=INFO < %t.info
! INFO: numbered_{{.*}}: cpu{{.*}} 10 steps
! INFO-NOT: numbered_{{.*}}: cpu{{.*}} 1 steps
! INFO: lettered_{{.*}}: cpu{{.*}} 1 steps
! RUN: FileCheck %s --check-prefix=OUT < %t.out
! OUT: at 0010: 40
! OUT: at 0040: 40
! OUT: letters 1 0
subroutine numbered(u, v, n, m)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: u(n, m), v(n, m)
  character(len=16) :: place, number
  integer :: i, j, t, unit

  place = 'null'
  do t = 1, 40
    do j = 2, m - 1
      do i = 2, n - 1
        v(i, j) = u(i, j) + 0.1d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4*u(i, j))
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        u(i, j) = v(i, j)
      end do
    end do
    if (mod(t, 10) == 0) then
      write (number, '(I4.4)') t
      open (newunit=unit, file='/dev/'//trim(place), status='old', action='write')
      write (unit, *) u(2, 2)
      close (unit)
      print '(A, I0)', 'at '//trim(number)//': ', nint(sum(u))
    end if
  end do
end subroutine numbered

subroutine lettered(u, v, letters, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: u(n), v(n)
  character(len=1), intent(inout) :: letters(n)
  integer :: i, t

  do t = 1, 20
    write (letters(7), '(I1)') mod(t, 10)
    do i = 2, n - 1
      v(i) = u(i) + 0.1d0*(u(i - 1) + u(i + 1) - 2*u(i)) + iachar(letters(i))
    end do
    do i = 2, n - 1
      u(i) = v(i)
    end do
  end do
  print '(A, I0, X, I0)', 'letters ', count(letters /= 'A'), iachar(letters(7)) - iachar('0')
end subroutine lettered

program main
  implicit none
  real(8) :: u(60, 50), v(60, 50), x(200), y(200)
  character(len=1) :: letters(200)

  u = 0
  u(30, 25) = 40
  v = u
  call numbered(u, v, 60, 50)
  x = 1
  y = 1
  letters = 'A'
  call lettered(x, y, letters, 200)
end program main
