! Heat along a rod whose points are warmed as letters say, of which each step writes another one, and looks at the text that
! it has put together.
subroutine heat(a, b, seen, n, steps)
  implicit none
  integer, intent(in) :: n, steps
  double precision, intent(inout) :: a(n), b(n), seen(32)
  character(len=1), allocatable :: letters(:)
  character(len=20) :: text
  integer :: step, i

  allocate (letters(max(n, 1)))
  letters = 'A'
  do step = 1, steps
    if (n > 2) write (letters(2 + mod(step, n - 1)), '(I1)') mod(step, 10)
    do i = 2, n - 1
      b(i) = 0.25d0*(a(i - 1) + 2.0d0*a(i) + a(i + 1)) + 0.001d0*iachar(letters(i))
    end do
    do i = 2, n - 1
      a(i) = b(i)
    end do
    if (mod(step, 3) == 1 .and. n > 2) then
      write (text, *) 'L'//trim(letters(2)//' '), nint(100*a(2))
      seen(1 + mod(step, 32)) = iachar(text(2:2)) + 1d-3*iachar(text(3:3)) + 1d-6*len_trim(text)
    end if
  end do
end subroutine heat

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:), seen(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, 1, 1))
    call new_array(b, points(nx, 1, 1))
    call new_array(seen, points(32, 1, 1))
    call heat(a(1), b(1), seen(1), nx, steps)
    call dump('a', a)
    call dump('b', b)
    call dump('seen', seen)
    call end_case()
  end do
end program main
