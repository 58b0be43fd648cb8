! Every few steps a number becomes a text, with which a file's name is put together; what is written there, and a record
! to an unformatted file, is asked for behind the time loop.
subroutine heat(a, b, letters, kept, n, m, steps)
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: a(n, m), b(n, m), kept(64)
  integer(int8), intent(inout) :: letters(64)
  character(len=12) :: place, number
  character(len=40) :: line
  integer :: step, i, j, unit, record, told

  place = 'null'
  line = ' '
  told = 0
  open (newunit=record, status='scratch', access='stream', form='unformatted', action='readwrite')
  do step = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        b(i, j) = 0.2d0*(a(i, j) + a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        a(i, j) = b(i, j)
      end do
    end do
    if (mod(step, 7) == 3 .and. n > 1 .and. m > 1) then
      write (number, '(I4.4)') step
      open (newunit=unit, file='/dev/'//trim(place), status='old', action='write')
      write (unit, *) number, a(n/2, m/2)
      close (unit)
      write (line, '(A, ES24.16)') 'step '//trim(number)//':', a(n/2, m/2)
    end if
    if (mod(step, 5) == 1 .and. n > 2 .and. m > 2) then
      write (record) a(2, 2), a(n - 1, m - 1)
      told = told + 2
    end if
  end do
  do i = 1, len(line)
    letters(i) = int(iachar(line(i:i)), int8)
  end do
  rewind (record)
  do i = 1, told
    read (record) kept(1 + mod(i, 64))
  end do
  close (record)
end subroutine heat

program main
  use corpus
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:), kept(:)
  integer(int8), allocatable :: letters(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(kept, points(64, 1, 1))
    call new_array(letters, points(64, 1, 1))
    call heat(a(1), b(1), letters(1), kept(1), nx, ny, steps)
    call dump('a', a)
    call dump('b', b)
    call dump('kept', kept)
    call dump('letters', letters)
    call end_case()
  end do
end program main
